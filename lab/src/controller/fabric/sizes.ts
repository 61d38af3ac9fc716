/** How much of everything a fabric of each size has. */
export type FabricSize = "small" | "medium" | "large";

export interface Amounts {
	readonly controllers: number;
	readonly spines: number;
	readonly leaves: number;
	/** Per leaf; a spine has a third of them. */
	readonly ports: number;
	readonly tenants: number;
	/** Per tenant. */
	readonly vrfs: number;
	readonly bds: number;
	readonly aps: number;
	readonly contracts: number;
	readonly filters: number;
	readonly l3outs: number;
	/** Per bridge domain. */
	readonly epgs: number;
	/** Per endpoint group. */
	readonly paths: number;
	readonly endpoints: number;
	/** In all. */
	readonly faults: number;
	readonly events: number;
	readonly audits: number;
	readonly faultRecords: number;
}

export const AMOUNTS: Readonly<Record<FabricSize, Amounts>> = {
	small: {
		controllers: 3,
		spines: 2,
		leaves: 4,
		ports: 12,
		tenants: 4,
		vrfs: 2,
		bds: 5,
		aps: 2,
		contracts: 3,
		filters: 3,
		l3outs: 1,
		epgs: 2,
		paths: 6,
		endpoints: 4,
		faults: 40,
		events: 120,
		audits: 80,
		faultRecords: 40,
	},
	medium: {
		controllers: 3,
		spines: 4,
		leaves: 40,
		ports: 54,
		tenants: 20,
		vrfs: 3,
		bds: 20,
		aps: 6,
		contracts: 8,
		filters: 8,
		l3outs: 2,
		epgs: 2,
		paths: 14,
		endpoints: 7,
		faults: 400,
		events: 2500,
		audits: 2000,
		faultRecords: 1000,
	},
	large: {
		controllers: 5,
		spines: 12,
		leaves: 200,
		ports: 54,
		tenants: 100,
		vrfs: 3,
		bds: 42,
		aps: 10,
		contracts: 10,
		filters: 12,
		l3outs: 3,
		epgs: 2,
		paths: 14,
		endpoints: 6,
		faults: 3000,
		events: 20_000,
		audits: 18_000,
		faultRecords: 8000,
	},
};
