import Faraday
import FaradayCurl

extension OptionTable {
  /// Options that are libcurl's alone.
  static let library: [CommandOption] = [
    .setting("cert-status", "SSL_VERIFYSTATUS", "Demand a stapled OCSP response of the server"),
    .setting("false-start", "SSL_FALSESTART", "Use TLS False Start"),
    .value("curves", nil, "list", "The elliptic curves of the TLS handshake") {
      $0.curlSettings.append(CurlSetting("SSL_EC_CURVES", $1))
    },
    .setting("tcp-fastopen", "TCP_FASTOPEN", "Use TCP Fast Open"),
    .setting("haproxy-protocol", "HAPROXYPROTOCOL", "Send the HAProxy PROXY protocol header, version 1"),
    .flag("doh-insecure", nil, "Do not verify the certificate of the DNS-over-HTTPS server") {
      $0.curlSettings += [CurlSetting("DOH_SSL_VERIFYPEER", $1 ? 0 : 1), CurlSetting("DOH_SSL_VERIFYHOST", $1 ? 0 : 2)]
    },
    .setting("doh-cert-status", "DOH_SSL_VERIFYSTATUS", "Demand a stapled OCSP response of the DNS-over-HTTPS server"),
    .dns("dns-interface", "name", "DNS_INTERFACE", "The interface for DNS; libcurl must have c-ares"),
    .dns("dns-ipv4-addr", "address", "DNS_LOCAL_IP4", "The local IPv4 address for DNS; libcurl must have c-ares"),
    .dns("dns-ipv6-addr", "address", "DNS_LOCAL_IP6", "The local IPv6 address for DNS; libcurl must have c-ares"),
    .value("preproxy", nil, "[protocol://]host[:port]", "Reach the proxy through this SOCKS proxy") {
      $0.curlSettings.append(CurlSetting("PRE_PROXY", $1))
    },
    .flag("socks5-gssapi", nil, "Authenticate with the SOCKS 5 proxy by GSS-API") {
      $0.curlSettings.append(CurlSetting("SOCKS5_AUTH", $1 ? 4 : 5))
    },
    .setting("socks5-gssapi-nec", "SOCKS5_GSSAPI_NEC", "Work with the SOCKS 5 server of NEC"),
    .setting("socks5-gssapi-service", "name", "PROXY_SERVICE_NAME", "The name of the SOCKS 5 service for GSS-API"),
    .setting("proxy-service-name", "name", "PROXY_SERVICE_NAME", "The name of the proxy's service for SPNEGO"),
    .setting("service-name", "name", "SERVICE_NAME", "The name of the service for SPNEGO"),
    .value("delegation", nil, "level", "What the server may do with GSS-API credentials: none, policy or always") {
      guard let level = ["none": 0, "policy": 1, "always": 2][$1.lowercased()] else {
        $0.warnings.append("unrecognized delegation method '\($1)', using none")
        return
      }
      $0.curlSettings.append(CurlSetting("GSSAPI_DELEGATION", level))
    },
  ]
}

extension OptionTable {
  /// Throws if this libcurl was built without something.
  static func demand(_ capability: Capabilities) throws(OptionProblem) {
    guard Transport.curl.capabilities.contains(capability) else {
      throw .notInLibrary(reason: CurlAdapter.absence(of: capability))
    }
  }
}

extension CommandOption {
  /// A flag that is a switch of libcurl's.
  fileprivate static func setting(_ name: String, _ setting: String, _ help: String) -> CommandOption {
    .flag(name, nil, help) { $0.curlSettings.append(CurlSetting(setting, $1 ? 1 : 0)) }
  }

  /// A text that is an option of libcurl's for its own resolver, c-ares.
  fileprivate static func dns(_ name: String, _ placeholder: String, _ setting: String, _ help: String) -> CommandOption {
    .value(name, nil, placeholder, help) {
      try OptionTable.demand(.dnsServers)
      $0.curlSettings.append(CurlSetting(setting, $1))
    }
  }

  /// A text that is an option of libcurl's.
  fileprivate static func setting(_ name: String, _ placeholder: String, _ setting: String, _ help: String) -> CommandOption {
    .value(name, nil, placeholder, help) { $0.curlSettings.append(CurlSetting(setting, $1)) }
  }
}
