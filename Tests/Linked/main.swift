import Faraday
import FaradayCurl
import FoundationEssentials
import Glibc

// What Scripts/linked looks at: `linked URL` sends a request, and prints its body and what this process has loaded.

let url = CommandLine.arguments.last ?? ""
print(try await Connection(url, adapter: CurlAdapter()).get("").body.text())

// The system makes this file as it is read, so its size is not known.
guard let maps = fopen("/proc/self/maps", "r") else { exit(1) }
var line: UnsafeMutablePointer<CChar>?
var capacity = 0
while getline(&line, &capacity, maps) > 0 {
  if let line { print(String(cString: line), terminator: "") }
}
