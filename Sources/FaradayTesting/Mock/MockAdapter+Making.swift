public import FaradayCore

extension MockAdapter {
  /// A mock with one closure for all requests: `MockAdapter { request in .json(["path": request.path]) }`.
  public convenience init(capabilities: Capabilities = .all, _ respond: @escaping Responder) {
    self.init(capabilities: capabilities)
    stub(respond: respond)
  }

  /// A mock with one response for each request, in their order: `MockAdapter(.status(.serviceUnavailable), .text("ok"))`.
  public convenience init(_ first: Response, _ others: Response...) {
    self.init()
    for response in [first] + others { stub(times: 1) { _ in response } }
  }
}
