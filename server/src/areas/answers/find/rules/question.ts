/** Reads a question: an address, a prefix, a MAC address, a VLAN, a DN, or a part of a name. */
import type { FindKind } from "@weft/contracts";
import { readNetwork } from "../../../../core/ip-networks.ts";
import { readMac, readVlan } from "./addresses.ts";

export interface Question {
	readonly kind: FindKind;
	readonly normalized: string;
}

export function readQuestion(text: string): Question {
	const asked = text.trim().replace(/\s+/g, " ");
	const network = readNetwork(asked);
	if (network !== null)
		return asked.includes("/")
			? { kind: "prefix", normalized: network.network }
			: { kind: "ip", normalized: network.address };
	const mac = readMac(asked);
	if (mac !== null) return { kind: "mac", normalized: mac };
	const vlan = readVlan(asked, { isBare: true });
	if (vlan !== null) return { kind: "vlan", normalized: `vlan-${vlan}` };
	if (/^(uni|topology)\//i.test(asked)) return { kind: "dn", normalized: asked };
	return { kind: "name", normalized: asked.toLowerCase() };
}
