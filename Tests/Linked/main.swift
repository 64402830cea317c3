import Faraday
import FaradayCurl
import FoundationEssentials
import Glibc

// For Scripts/linked: `linked URL` sends a request, and prints its body and the libraries that this process has loaded.

let url = CommandLine.arguments.last ?? ""
print(try await Connection(url, adapter: CurlAdapter()).get("").body.utf8Text())

// The system makes this file as it is read, so its size is not known.
guard let maps = fopen("/proc/self/maps", "r") else { exit(1) }
var line: UnsafeMutablePointer<CChar>?
var capacity = 0
while getline(&line, &capacity, maps) > 0 {
  if let line { print(String(cString: line), terminator: "") }
}
