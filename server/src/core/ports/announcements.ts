/** Messages to every node at the commit of a transaction, to invalidate caches at once. */
import type { Tx } from "./store.ts";

export interface Announcements {
	/** Sends the message to all nodes, including this one, if and when the transaction commits. */
	announce(tx: Tx, topic: string, message: string): Promise<void>;
	/** `missed` is called when messages may have been lost: drop everything that is cached. */
	listen(topic: string, heard: (message: string) => void, missed: () => void): void;
	/** False while announcements cannot be heard. */
	heard(): boolean;
	close(): Promise<void>;
}
