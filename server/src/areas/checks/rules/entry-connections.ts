/** The connections and runs of an entry of a check. */

interface Entry {
	/** Null for all connections of the check together. */
	readonly connection_id: string | null;
	/** The runs of an evaluation over several connections: `connection=run`, separated by commas. */
	readonly inputs: string | null;
}

/** Reads the runs of an evaluation over several connections. */
export const parseInputs = (inputs: string): { readonly connection: string; readonly run: string }[] =>
	inputs
		.split(",")
		.filter((pair) => pair !== "")
		.map((pair) => ({ connection: pair.slice(0, pair.indexOf("=")), run: pair.slice(pair.indexOf("=") + 1) }));

export const listEntryConnections = ({ connection_id, inputs }: Entry): string[] =>
	connection_id === null ? parseInputs(inputs ?? "").map(({ connection }) => connection) : [connection_id];
