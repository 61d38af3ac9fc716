/** Numbers that the controller assigns to networks and groups. A recreated object gets new ones. */
export function createIdentities(): { next(cls: string): readonly (readonly [string, string])[] } {
	let made = 0;
	return {
		next(cls) {
			if (!["fvBD", "fvCtx", "fvAEPg", "l3extInstP"].includes(cls)) return [];
			made++;
			const tag = ["pcTag", String(49_152 + made)] as const;
			const scope = ["scope", String(3_000_000 + made * 32)] as const;
			if (cls === "fvBD")
				return [tag, scope, ["seg", String(16_000_000 + made)], ["bcastP", `225.1.${(made >> 8) & 255}.${made & 255}`]];
			return cls === "fvCtx" ? [tag, scope, ["seg", scope[1]]] : [tag, scope];
		},
	};
}
