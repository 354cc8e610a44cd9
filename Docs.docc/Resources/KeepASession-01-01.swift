import Foundation
import SignalsKit

struct Account: UserProtocol {
  let id: String
  var name: String
  var expiration: Date?
}
