/** Why the name of a connection group stands for no group. */

/** @param listNames the first names of the groups that the caller sees; called at most once */
export function createGroupProblem(listNames: () => Promise<readonly string[]>) {
	let names: Promise<readonly string[]> | null = null;
	/** @param count groups of this name that the caller sees */
	return async (name: string, count: number): Promise<string> => {
		if (count > 0) return `${count} connection groups have the name "${name}". Rename one of them.`;
		names ??= listNames();
		const known = await names;
		const groups = known.length === 0 ? "There are none." : `Groups: ${known.join(", ")}.`;
		return `There is no connection group "${name}" that you can see. ${groups}`;
	};
}
