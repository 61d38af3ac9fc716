/** Key combinations that a person may not choose. Pure. */

/** Why a combination cannot be assigned (reserved by the browser, or invalid), or null. */
export function findComboProblem(combo: string): string | null {
	if (!/^((mod|alt|shift)\+)*(\S|[a-z]{2,}\d*)( ((mod|alt|shift)\+)*\S)?$/.test(combo)) return "Press one or two keys.";
	if (/^mod\+(shift\+)?[rwtnlqpd]$/.test(combo)) return "The browser keeps these keys for itself.";
	return null;
}
