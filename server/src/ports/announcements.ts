/** Facts told to every node when a transaction commits, so that what they remember is forgotten at once. */
import type { Tx } from "./store.ts";

export interface Announcements {
	/** Told to all nodes, this one too, if and when the transaction commits. */
	announce(tx: Tx, topic: string, message: string): Promise<void>;
	/** `missed` is called when announcements may have been lost: whatever was remembered must be forgotten. */
	listen(topic: string, heard: (message: string) => void, missed: () => void): void;
	/** False while announcements cannot be heard. */
	heard(): boolean;
	close(): Promise<void>;
}
