/** Normal forms of MAC addresses and VLANs. Null for any other text. */
/** `00:50:56:ab:cd:ef` in upper case, from any notation with colons, hyphens, points or nothing. */
export function readMac(text: string): string | null {
	const isMac =
		/^[0-9a-f]{2}([:-])[0-9a-f]{2}(\1[0-9a-f]{2}){4}$/i.test(text) ||
		/^[0-9a-f]{4}([.:-])[0-9a-f]{4}\1[0-9a-f]{4}$/i.test(text) ||
		/^[0-9a-f]{6}[:-][0-9a-f]{6}$/i.test(text) ||
		/^[0-9a-f]{12}$/i.test(text);
	if (!isMac) return null;
	const digits = text.replace(/[.:-]/g, "").toUpperCase();
	return (digits.match(/../g) ?? []).join(":");
}

/** Largest number of a VLAN. */
const VLAN_MAX = 4095;

/** The number of a VLAN: `vlan-150`, `VLAN 150`, `vlan150`; with `isBare` a number alone, too. */
export function readVlan(text: string, { isBare }: { isBare: boolean }): number | null {
	const found = /^(vlan[\s_-]?)?([0-9]{1,4})$/i.exec(text);
	if (found === null || (found[1] === undefined && !isBare)) return null;
	const number = Number(found[2]);
	return number >= 1 && number <= VLAN_MAX ? number : null;
}
