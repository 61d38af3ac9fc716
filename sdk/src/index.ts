/** Typed client of Weft's API (HTTP, WebSocket) for browsers and Node, based on the contracts. */
export {
	type Call,
	type CallOptions,
	type ClientOptions,
	createCaller,
	getPath,
	type ItemOf,
	type ListRoute,
	type Tokens,
	type WeftCaller,
	WeftError,
} from "./client.ts";
export { createClient, type WeftClient } from "./full-client.ts";
export type { RetryOptions } from "./retry.ts";
export { findTokenProblem } from "./token-text.ts";
export { type FrameOf, type SocketFactory, watch } from "./watch.ts";
