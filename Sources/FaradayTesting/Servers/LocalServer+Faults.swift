/// The routes that misbehave.
extension LocalServer.Session {
  func stallBody() throws {
    reply.begin(200, [("Content-Type", "text/plain")], .known(100))
    try [UInt8](repeating: UInt8(ascii: "."), count: 10).withUnsafeBytes(reply.write)
    try reply.flush()
    try waitForClose()
  }

  func closeAfterwards() throws {
    reply.closes = true
    try reply.send(200, text: "closing\n")
  }

  func reset() {
    reply.closes = true
    socket.reset()
  }

  func earlyResponse() throws {
    reply.closes = true
    try reply.send(413, text: "too much\n")
  }
}
