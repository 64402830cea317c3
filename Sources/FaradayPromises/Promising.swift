/// The calls of something as promises: each begins at once and returns a promise of what the asynchronous one gives.
///
///     connection.promise.get("users").onSuccess { response in print(response.status) }
///
/// They have the names of the asynchronous ones. That they stand apart, and are not overloads, is so that the compiler never takes
/// one for the other, which it would do in the top-level code of a program.
public struct Promising<Caller: Sendable>: Sendable {
  package let caller: Caller

  package init(_ caller: Caller) { self.caller = caller }
}
