/**
 * Runs untrusted commands in sbx sandboxes, and brings back how they ended.
 * @packageDocumentation
 */
export { Artifacts, type KeptArtifact } from "./artifacts.js";
export { CommandError, SbxError, SbxNotFoundError } from "./errors.js";
export type { Overrides, Scalar } from "./flags.js";
export type { Abortable, Input, RunOptions, SandboxOptions, StreamOptions, Workspace, WorkspaceMode } from "./options.js";
export { Result, type Status } from "./result.js";
export { Sandbox } from "./sandbox.js";
export type * from "./schema.js";
