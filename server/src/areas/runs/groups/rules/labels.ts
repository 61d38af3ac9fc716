/** Names of connections in merged results. */

/**
 * A name, and for names that occur more than once the end of the id, whose beginning is a time. In
 * the same order.
 */
export function formatLabels(connections: readonly { readonly id: string; readonly name: string }[]): string[] {
	const times = new Map<string, number>();
	for (const { name } of connections) times.set(name, (times.get(name) ?? 0) + 1);
	return connections.map(({ id, name }) => ((times.get(name) ?? 0) > 1 ? `${name} (${id.slice(-8)})` : name));
}
