/** The connections that an entry of a check is about. */

interface Entry {
	/** Null: all connections of the check together. */
	readonly connection_id: string | null;
	/** Of an evaluation over several runs: `connection=run` with commas between them. */
	readonly inputs: string | null;
}

export const listEntryConnections = ({ connection_id, inputs }: Entry): string[] =>
	connection_id !== null
		? [connection_id]
		: (inputs ?? "").split(",").flatMap((pair) => (pair === "" ? [] : [pair.slice(0, pair.indexOf("="))]));
