import Foundation
import SignalsKit

struct Item: StoreModel, Equatable {
  static let table = TableSpec("item", indexes: ["isDone"])

  var id: UUID
  var text: String
  var isDone = false
}
