/// A value behind one reference, copied when it is changed while another one shares it (copy-on-write).
///
/// For structs of many fields that pass through asynchronous calls: the frame of each call has copies of its arguments and results for
/// as long as it waits, and this one takes eight bytes there. Reading a field costs one indirection, copying one retain, and a change
/// of a shared value one allocation.
struct CopyOnWrite<Value: Sendable>: @unchecked Sendable {
  // Safe to share: `value` is written only through `unique`, that is, while exactly one value refers to the object.
  final class Storage {
    // Without a run-time check for exclusive access: a writer holds the only reference.
    @exclusivity(unchecked) var value: Value

    init(_ value: Value) { self.value = value }
  }

  private var storage: Storage

  init(_ value: Value) { storage = Storage(value) }

  /// The value, to read.
  var value: Value {
    @inline(__always) _read { yield storage.value }
  }

  /// The storage to write to, copied first if another value refers to it. Not a `_modify` of ``value``: within that of a property it
  /// would need a coroutine frame, which is allocated.
  var unique: Storage {
    @inline(__always) mutating get {
      if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.value) }
      return storage
    }
  }
}
