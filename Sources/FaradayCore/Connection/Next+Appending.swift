extension Next {
  /// The same rest of the stack with one more middleware at its bottom, which sees requests as the adapter gets them.
  package func appending(_ middleware: any Middleware) -> Next {
    Next(stack: Stack(stack.middleware + [middleware], adapter: stack.adapter), index: index, context: context)
  }
}
