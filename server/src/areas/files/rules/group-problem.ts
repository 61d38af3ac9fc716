/** Why the name of a connection group stands for no group. */

/**
 * @param count groups of this name that the caller sees
 * @param known the first names of the groups that the caller sees
 */
export function formatGroupProblem(name: string, count: number, known: readonly string[]): string {
	if (count > 0) return `${count} connection groups have the name "${name}". Rename one of them.`;
	const groups = known.length === 0 ? "There are none." : `Groups include: ${known.join(", ")}.`;
	return `There is no connection group "${name}" that you can see. ${groups}`;
}
