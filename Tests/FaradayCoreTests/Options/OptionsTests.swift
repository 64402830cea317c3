import FaradayCore
import Testing

@Suite struct OptionsTests {
  private enum Attempts: OptionKey { static let defaultValue = 3 }
  private enum Limit: OptionKey { static let defaultValue: Int? = 3 }

  @Test func `an optional setting has its default until it is set, and can be set to nil`() {
    var options = Options()
    #expect(options[Limit.self] == 3)
    options[Limit.self] = 4
    #expect(options[Limit.self] == 4)
    options[Limit.self] = nil
    #expect(options[Limit.self] == nil)
  }

  @Test func `changing a copy does not change the original`() {
    var original = Options()
    original.maximumBodySize = 10
    var copy = original
    copy.maximumBodySize = 20
    copy[Attempts.self] = 7
    #expect(original.maximumBodySize == 10)
    #expect(original[Attempts.self] == 3)
    #expect(copy.maximumBodySize == 20)
    #expect(copy[Attempts.self] == 7)
  }

  @Test func `changing one set of options does not change the defaults of others`() {
    var changed = Options()
    changed.delivery = .streamed
    #expect(Options().delivery == .buffered)
  }

  @Test func `progress without a total has no fraction, and an empty body is complete`() {
    #expect(TransferProgress(bytes: 5, total: nil).fraction == nil)
    #expect(TransferProgress(bytes: 5, total: 10).fraction == 0.5)
    #expect(TransferProgress(bytes: 0, total: 0).fraction == 1)
  }
}
