@testable import FaradayCurl
import FaradayCore
import Testing

@Suite struct StreamWriterTests {
  @Test func `what is gathered and not handed over fills the buffer too`() {
    let writer = StreamWriter(ReceiveBuffer(size: 1000))
    func append(_ count: Int) -> Bool { [UInt8](repeating: 0, count: count).withUnsafeBytes(writer.append) }
    #expect(append(600))
    #expect(!writer.isFull)
    _ = writer.publish()
    #expect(writer.unread == 600)
    #expect(append(399))
    #expect(!writer.isFull)
    #expect(append(1))
    #expect(writer.isFull)
    writer.discard()
  }
}
