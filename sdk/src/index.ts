/** Typed client of Weft's interface: HTTP calls and WebSocket channels, from the contracts. Runs in browsers and in Node. */
export {
	type Call,
	type CallOptions,
	type ClientOptions,
	createCaller,
	createClient,
	pathOf,
	type Tokens,
	type WeftCaller,
	type WeftClient,
	WeftError,
} from "./client.ts";
export { type FrameOf, type SocketFactory, watch } from "./watch.ts";
