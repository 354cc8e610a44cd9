// One import for applications that use the whole toolkit.
@_exported public import AppGroups
@_exported public import Containers
@_exported public import Contexts
@_exported public import FileSignals
@_exported public import Signals
@_exported public import Stores
@_exported public import Tweaks
