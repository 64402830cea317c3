@testable import FaradayCore
import FoundationEssentials
import Testing

@Suite struct ReceiveBufferTests {
  private struct First: Error {}

  @Test func `a paused engine is asked for more once, when less than half is left`() {
    let buffer = ReceiveBuffer(size: 100)
    buffer.received(100)
    buffer.pause()
    #expect(!buffer.read(50))
    #expect(buffer.read(1))
    #expect(!buffer.read(1))
    buffer.pause()
    #expect(buffer.read(1))
  }

  @Test func `an engine that has not paused is not asked`() {
    let buffer = ReceiveBuffer(size: 100)
    buffer.received(100)
    #expect(!buffer.read(100))
  }

  @Test func `the engine learns from publishing that its reader will not ask any more`() {
    let buffer = ReceiveBuffer(size: 100)
    buffer.received(100)
    #expect(!buffer.read(100))
    buffer.pause()
    #expect(buffer.publish([]))
    #expect(!buffer.publish([]))
  }

  @Test func `the first end counts, and comes behind what there is`() throws {
    let buffer = ReceiveBuffer(size: 100)
    _ = buffer.publish([Data([1])])
    buffer.finish(.failure(First()))
    buffer.finish(.success(()))
    #expect(try buffer.takeNow() == [Data([1])])
    #expect(throws: First.self) { try buffer.takeNow() }
  }
}
