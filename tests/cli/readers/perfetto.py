"""perfetto.py FILE: read a trace with Google's protobuf, following Perfetto's
documentation, and print the slices that trace_processor would show: lines "category
count nanoseconds", then lines "name count", sorted."""
import collections
import sys

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

# From protos/perfetto/trace: message, field, number, type; * means repeated.
FIELDS = """
Trace packet 1 *TracePacket
TracePacket clock_snapshot 6 ClockSnapshot
TracePacket timestamp 8 uint64
TracePacket trusted_packet_sequence_id 10 uint32
TracePacket track_event 11 TrackEvent
TracePacket interned_data 12 InternedData
TracePacket sequence_flags 13 uint32
TracePacket track_descriptor 60 TrackDescriptor
ClockSnapshot clocks 1 *Clock
Clock clock_id 1 uint32
Clock timestamp 2 uint64
TrackDescriptor uuid 1 uint64
TrackDescriptor name 2 string
TrackDescriptor process 3 ProcessDescriptor
TrackDescriptor thread 4 ThreadDescriptor
TrackDescriptor parent_uuid 5 uint64
ProcessDescriptor pid 1 int32
ProcessDescriptor process_name 6 string
ThreadDescriptor pid 1 int32
ThreadDescriptor tid 2 int64
TrackEvent category_iids 3 *uint64
TrackEvent debug_annotations 4 *DebugAnnotation
TrackEvent type 9 uint32
TrackEvent name_iid 10 uint64
TrackEvent track_uuid 11 uint64
TrackEvent name 23 string
DebugAnnotation name_iid 1 uint64
DebugAnnotation uint_value 3 uint64
DebugAnnotation string_value_iid 17 uint64
InternedData event_categories 1 *Interned
InternedData event_names 2 *Interned
InternedData debug_annotation_names 3 *Interned
InternedData debug_annotation_string_values 29 *InternedString
Interned iid 1 uint64
Interned name 2 string
InternedString iid 1 uint64
InternedString str 2 bytes
"""
F = descriptor_pb2.FieldDescriptorProto
CLEARED, NEEDS = 1, 2
BEGIN, END = 1, 2


def messages():
    made = descriptor_pb2.FileDescriptorProto(name="trace.proto", package="p")
    by_name = {}
    for row in FIELDS.split("\n"):
        if not row:
            continue
        message, field, number, kind = row.split()
        if message not in by_name:
            by_name[message] = made.message_type.add(name=message)
        f = by_name[message].field.add(name=field, number=int(number))
        f.label = F.LABEL_REPEATED if kind[0] == "*" else F.LABEL_OPTIONAL
        kind = kind.lstrip("*")
        if kind[0].isupper():
            f.type, f.type_name = F.TYPE_MESSAGE, ".p." + kind
        else:
            f.type = getattr(F, "TYPE_" + kind.upper())
    pool = descriptor_pool.DescriptorPool()
    pool.Add(made)
    trace = pool.FindMessageTypeByName("p.Trace")
    if hasattr(message_factory, "GetMessageClass"):
        return message_factory.GetMessageClass(trace)
    return message_factory.MessageFactory(pool).GetPrototype(trace)


class Sequence:
    def __init__(self):
        self.known = None

    def take(self, packet):
        if packet.sequence_flags & CLEARED:
            self.known = collections.defaultdict(dict)
        assert self.known is not None, "no incremental state yet"
        for field, values in packet.interned_data.ListFields():
            for v in values:
                assert v.iid > 0
                self.known[field.name][v.iid] = getattr(v, "str", None) or v.name


def read(path):
    trace = messages()()
    trace.ParseFromString(open(path, "rb").read())
    tracks, events, sequences = {}, [], collections.defaultdict(Sequence)
    clocks = 0
    for at, p in enumerate(trace.packet):
        assert p.trusted_packet_sequence_id > 0
        s = sequences[p.trusted_packet_sequence_id]
        s.take(p)
        if p.HasField("track_descriptor"):
            d = p.track_descriptor
            assert d.uuid not in tracks, "one descriptor each"
            assert not d.parent_uuid or d.parent_uuid in tracks, "its parent first"
            tracks[d.uuid] = d
        if p.HasField("clock_snapshot"):
            clocks += 1
            assert [c.clock_id for c in p.clock_snapshot.clocks] == [6, 1]
            assert p.clock_snapshot.clocks[1].timestamp > 10**18
        if p.HasField("track_event"):
            e = p.track_event
            assert e.track_uuid in tracks, "a track without a descriptor"
            names = s.known
            events.append((p.timestamp, at, e, names["event_names"].get(e.name_iid, e.name)
                           if e.type == BEGIN else None,
                           [names["event_categories"][i] for i in e.category_iids],
                           {names["debug_annotation_names"][a.name_iid]:
                            names["debug_annotation_string_values"][a.string_value_iid].decode()
                            if a.string_value_iid else a.uint_value
                            for a in e.debug_annotations}))
    assert clocks == 1
    return tracks, events


def main():
    tracks, events = read(sys.argv[1])
    open_, sums, names = collections.defaultdict(list), {}, collections.Counter()
    for time, at, e, name, categories, notes in sorted(events, key=lambda x: x[:2]):
        stack = open_[e.track_uuid]
        if e.type == BEGIN:
            assert name and len(categories) == 1
            if categories == ["kernel"] and "kernel_id" in notes:
                assert notes["shape"].startswith("grid ")
            stack.append((time, name, categories[0]))
            continue
        assert e.type == END and stack, "an end without a beginning"
        begun, name, category = stack.pop()
        n, ns = sums.get(category, (0, 0))
        sums[category] = (n + 1, ns + time - begun)
        names[name] += 1
    assert not any(open_.values()), "a slice without an end"
    for category in sorted(sums):
        print(category, *sums[category])
    for name in sorted(names):
        print(repr(name), names[name])


main()
