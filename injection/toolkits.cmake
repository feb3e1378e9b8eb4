# The CUDA toolkits to build injection libraries with: one for each major, since
# CUPTI's interface differs between majors only (cupti_api.h). Sets
#   CUDADVISE_TOOLKIT_MAJORS      "13;12", the newest first
#   CUDADVISE_TOOLKIT_<major>_INCLUDES, _VERSION (12060), _CUPTI (a file or "")
set(CUDADVISE_TOOLKITS "" CACHE STRING
  "Further CUDA toolkits (their folders), 12.6 or newer; they come first")

# cudadvise_toolkit(folder named): take the toolkit in this folder if it has the
# headers and there is none of its major yet. named: the user named the folder.
function(cudadvise_toolkit folder named)
  foreach(cuda include targets/x86_64-linux/include
      targets/sbsa-linux/include .)
    foreach(cupti ${cuda} extras/CUPTI/include)
      set(includes ${folder}/${cuda} ${folder}/${cupti})
      if(EXISTS ${folder}/${cuda}/cuda.h AND
          EXISTS ${folder}/${cupti}/cupti_version.h)
        break()
      endif()
      set(includes "")
    endforeach()
    if(includes)
      break()
    endif()
  endforeach()
  if(NOT includes)
    if(named)
      message(WARNING "${folder} has no cuda.h and cupti_version.h")
    endif()
    return()
  endif()
  list(REMOVE_DUPLICATES includes)
  list(GET includes 0 cuda)
  list(GET includes -1 cupti)
  file(STRINGS ${cuda}/cuda.h line REGEX "^#define CUDA_VERSION ")
  string(REGEX MATCH "[0-9]+" version "${line}")
  file(STRINGS ${cupti}/cupti_version.h line
    REGEX "^#define CUPTI_API_VERSION ")
  string(REGEX MATCH "[0-9]+" api "${line}")
  math(EXPR major "${version} / 1000")
  if(api LESS 24)
    message(STATUS "CUPTI in ${cupti} is older than that of CUDA 12.6: "
      "no injection library is built with it")
    return()
  endif()
  if(major IN_LIST CUDADVISE_TOOLKIT_MAJORS)
    return()
  endif()
  # Only the full name counts here; at run time more places are tried (wire/toolkit.c).
  set(library "")
  foreach(place extras/CUPTI/lib64 lib64 targets/x86_64-linux/lib
      targets/sbsa-linux/lib lib)
    if(EXISTS ${folder}/${place}/libcupti.so.${major})
      set(library ${folder}/${place}/libcupti.so.${major})
      break()
    endif()
  endforeach()
  math(EXPR minor "${version} % 1000 / 10")
  message(STATUS "Injection library for CUDA ${major}: CUPTI ${major}.${minor} "
    "in ${cupti}")
  set(majors ${CUDADVISE_TOOLKIT_MAJORS} ${major})
  list(SORT majors COMPARE NATURAL ORDER DESCENDING)
  set(CUDADVISE_TOOLKIT_MAJORS ${majors} PARENT_SCOPE)
  set(CUDADVISE_TOOLKIT_${major}_INCLUDES "${includes}" PARENT_SCOPE)
  set(CUDADVISE_TOOLKIT_${major}_VERSION ${version} PARENT_SCOPE)
  set(CUDADVISE_TOOLKIT_${major}_CUPTI "${library}" PARENT_SCOPE)
endfunction()

foreach(folder ${CUDADVISE_TOOLKITS})
  cudadvise_toolkit("${folder}" TRUE)
endforeach()
# The toolkit of nvcc, and then the newest of each major.
if(CUDAToolkit_FOUND)
  foreach(folder ${CUDAToolkit_INCLUDE_DIRS})
    get_filename_component(folder ${folder} DIRECTORY)
    cudadvise_toolkit("${folder}" FALSE)
  endforeach()
  if(CUDAToolkit_LIBRARY_ROOT)
    cudadvise_toolkit("${CUDAToolkit_LIBRARY_ROOT}" FALSE)
  endif()
endif()
file(GLOB folders /usr/local/cuda-1[2-9]*)
list(SORT folders COMPARE NATURAL ORDER DESCENDING)
foreach(folder ${folders})
  cudadvise_toolkit("${folder}" FALSE)
endforeach()

# libcudadvise_injection.so is built with the newest toolkit; so are the tests of the
# injection library's sources.
if(CUDADVISE_TOOLKIT_MAJORS)
  list(GET CUDADVISE_TOOLKIT_MAJORS 0 newest)
  set(CUDADVISE_CUPTI_INCLUDES ${CUDADVISE_TOOLKIT_${newest}_INCLUDES})
  set(CUDADVISE_CUPTI_LIBRARY ${CUDADVISE_TOOLKIT_${newest}_CUPTI})
endif()
