#include "model/gain.h"
