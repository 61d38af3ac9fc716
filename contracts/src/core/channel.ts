/** What a WebSocket channel's contract is, and the frames that all of them share. */
import * as z from "zod";
import { timestamp } from "./common.ts";

/** The part of a channel's contract that the browser runs: `paths.ts` of each area has it. */
export interface ChannelPath {
	/** Path with a trailing slash; parameters as `:name`. */
	readonly path: string;
	/** Types of the frames, without keepalive frames. */
	readonly frameTypes: readonly string[];
	/** Frame types after which the service closes the socket with 1000. */
	readonly final: readonly string[];
}

export interface ChannelContract extends ChannelPath {
	readonly summary: string;
	readonly params: z.ZodType;
	/** Frame type to the shape of its `data`. */
	readonly frames: Readonly<Record<string, z.ZodType>>;
}

type FramesOf<Path extends ChannelPath> = Readonly<Record<Path["frameTypes"][number], z.ZodType>>;

/** Declares a channel with one shape for each of its frame types. */
export function defineChannel<const Contract extends ChannelContract>(
	contract: Contract & {
		readonly frames: FramesOf<Contract>;
		readonly final: readonly Contract["frameTypes"][number][];
	},
): Contract {
	return contract;
}

/** Every frame on the wire. */
export const frame = z.object({ type: z.string(), timestamp, data: z.record(z.string(), z.unknown()) });
export type Frame = z.infer<typeof frame>;
