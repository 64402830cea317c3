extension Next {
  /// The same rest of the stack with one more middleware at its bottom, which sees requests as the adapter gets them.
  package func appending(_ middleware: any Middleware) -> Next {
    Next(stack: stack.appending(middleware), index: index, context: context)
  }
}
