/** The object of another fabric that an object corresponds to. */

interface Named {
	readonly connection_id: string;
	readonly dn: string;
}

/**
 * One object for each other connection that has one, in the order of `found`. A name that one
 * object of each side has pairs them. Where several objects have it, the same DN decides.
 * @param found objects of the same name on all connections
 * @param own the connection and DN of the object
 */
export function findCounterparts<Found extends Named>(
	found: readonly Found[],
	own: { readonly connectionId: string; readonly dn: string },
): Found[] {
	const byConnection = new Map<string, Found[]>();
	for (const each of found) {
		const known = byConnection.get(each.connection_id);
		if (known === undefined) byConnection.set(each.connection_id, [each]);
		else known.push(each);
	}
	const isOnlyOne = (byConnection.get(own.connectionId) ?? []).every(({ dn }) => dn === own.dn);
	byConnection.delete(own.connectionId);
	return [...byConnection.values()].flatMap((there) => {
		if (isOnlyOne && there.length === 1) return there;
		return there.filter(({ dn }) => dn === own.dn);
	});
}
