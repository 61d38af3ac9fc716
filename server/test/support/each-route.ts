/** One case over many routes: it names each route that fails. */

/**
 * Runs a check for each item, one after another, also after failures.
 * Returns a line `name: reason` for each item whose check throws; an empty list when all hold.
 * Throws when there is no item, since nothing would have been checked.
 */
export async function findFailures<Item>(
	items: readonly Item[],
	name: (item: Item) => string,
	check: (item: Item) => Promise<void> | void,
): Promise<string[]> {
	if (items.length === 0) throw new Error("There is nothing to check.");
	const failures: string[] = [];
	for (const item of items) {
		try {
			await check(item);
		} catch (error) {
			failures.push(`${name(item)}: ${error instanceof Error ? error.message : String(error)}`);
		}
	}
	return failures;
}
