/** What a WebSocket channel's contract is, and the frames that all of them share. */
import * as z from "zod";
import { timestamp } from "./common.ts";

export interface ChannelContract<
	Params extends z.ZodType = z.ZodType,
	Frames extends Record<string, z.ZodType> = Record<string, z.ZodType>,
> {
	/** Path with a trailing slash; parameters as `:name`. */
	readonly path: string;
	readonly summary: string;
	readonly params: Params;
	/** Frame type to the shape of its `data`. */
	readonly frames: Frames;
	/** Frame types after which the service closes the socket with 1000. */
	readonly final: readonly string[];
}

export function channel<Params extends z.ZodType, const Frames extends Record<string, z.ZodType>>(
	contract: ChannelContract<Params, Frames> & { readonly final: readonly (keyof Frames & string)[] },
): ChannelContract<Params, Frames> {
	return contract;
}

/** Every frame on the wire. */
export const frame = z.object({ type: z.string(), timestamp, data: z.record(z.string(), z.unknown()) });
export type Frame = z.infer<typeof frame>;

/** Close codes (specification, Events). */
export const closeCode = { normal: 1000, ticket: 4001, forbidden: 4003, notFound: 4004, error: 1011 } as const;

/** Seconds between keepalive frames of type `ping`. */
export const KEEPALIVE_SECONDS = 30;
