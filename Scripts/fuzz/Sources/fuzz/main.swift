import Foundation
import LibFuzzer

// fuzz --target=NAME ARGUMENTS: the arguments are libFuzzer's, which passes over those that begin with two dashes, and hands them
// on to the processes that it starts itself.

guard Target.chosen != nil else {
  FileHandle.standardError.write(Data("fuzz: --target= one of \(Target.all.map(\.name).joined(separator: ", "))\n".utf8))
  exit(2)
}
var count = CommandLine.argc
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
exit(
  LLVMFuzzerRunDriver(&count, &arguments) { start, count in
    Target.chosen?.run(Input(Array(UnsafeBufferPointer(start: start, count: count))))
    return 0
  })
