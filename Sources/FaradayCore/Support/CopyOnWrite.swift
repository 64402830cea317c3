/// A value behind one reference (copy-on-write). A change copies the storage if another value shares it.
///
/// For structs of many fields that pass through asynchronous calls: the frame of each suspended call contains copies of its
/// arguments and results, and this value takes eight bytes there. Reading a field costs one indirection, copying costs one
/// retain, and changing a shared value costs one allocation.
struct CopyOnWrite<Value: Sendable>: @unchecked Sendable {
  // Safe to share: `value` is written only through `unique`, while exactly one value refers to the object.
  final class Storage {
    // No run-time check for exclusive access: a writer has the only reference.
    @exclusivity(unchecked) var value: Value

    init(_ value: Value) { self.value = value }
  }

  private var storage: Storage

  init(_ value: Value) { storage = Storage(value) }

  /// The value, for reading.
  var value: Value {
    @inline(__always) _read { yield storage.value }
  }

  /// The storage for writing, copied first if another value refers to it. Not a `_modify` of ``value``: within a property's
  /// `_modify` it would allocate a coroutine frame.
  var unique: Storage {
    @inline(__always) mutating get {
      if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.value) }
      return storage
    }
  }
}
