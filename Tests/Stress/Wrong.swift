/// Something that is not as it has to be.
struct Wrong: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

func check(_ condition: Bool, _ what: @autoclosure () -> String) throws {
  if !condition { throw Wrong(what()) }
}
