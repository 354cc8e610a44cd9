import Foundation
import SignalsKit

struct Account: SessionUser {
  let id: String
  var name: String
  var expiration: Date?
}
