/// The promise-returning variants of a type's asynchronous methods: each starts at once and returns a ``Promise``.
///
///     connection.promise.get("users").onSuccess { response in print(response.status) }
///
/// They have the same names as the asynchronous methods. They are in a namespace of their own, and not overloads, as the
/// compiler would choose the synchronous overload in top-level code.
public struct Promising<Caller: Sendable>: Sendable {
  package let caller: Caller

  package init(_ caller: Caller) { self.caller = caller }
}
