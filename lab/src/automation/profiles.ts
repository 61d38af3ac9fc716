/**
 * Releases that the simulated automation server can be: where the API is, which credentials it
 * takes, and what it says of itself. Facts: release notes of AWX, and the documentation of Ansible
 * Automation Platform.
 */
export interface Profile {
	/** What `ping/` says. */
	readonly version: string;
	readonly product: string;
	readonly root: string;
	/**
	 * A gateway stands before the API: it has its own addresses for tokens and the user, and its own
	 * words for a refusal.
	 */
	readonly gateway: boolean;
	/** Tokens are taken. */
	readonly bearer: boolean;
	/** The header's word for a token: `Bearer`, `Token` before Tower 3.3. */
	readonly scheme: string;
	/** `job_events` understands `limit`. */
	readonly eventLimit: boolean;
	/** The version stands in the head of answers only for those who are signed in. */
	readonly hidesVersion: boolean;
	/** Names the kind of an object that is not there, as newer releases of its framework do. */
	readonly namesMissing: boolean;
	/** Between the address of the user interface and the kind of a job. */
	readonly jobPages: string;
	readonly licence: { readonly type: string; readonly product: string };
}

const AWX: Profile = {
	version: "24.6.1",
	product: "AWX",
	root: "/api/v2/",
	gateway: false,
	bearer: true,
	scheme: "Bearer",
	eventLimit: true,
	hidesVersion: true,
	namesMissing: true,
	jobPages: "/#/jobs/",
	licence: { type: "open", product: "AWX" },
};

const PLATFORM: Profile = {
	...AWX,
	version: "4.5.12",
	product: "Red Hat Ansible Automation Platform",
	hidesVersion: false,
	namesMissing: false,
	licence: { type: "enterprise", product: "Red Hat Ansible Automation Platform" },
};

export const PROFILES = {
	awx_24: AWX,
	awx_22: { ...AWX, version: "22.2.0", hidesVersion: false, namesMissing: false },
	/** Before `job_events` had `limit`. */
	awx_15: { ...AWX, version: "15.0.1", eventLimit: false, hidesVersion: false, namesMissing: false },
	/** After the controller's own tokens were removed: name and password sign in. */
	awx_devel: { ...AWX, version: "24.6.2.dev118", bearer: false },
	tower_3_2: {
		...AWX,
		version: "3.2.8",
		product: "Tower",
		root: "/api/v1/",
		scheme: "Token",
		eventLimit: false,
		hidesVersion: false,
		namesMissing: false,
	},
	aap_2_4: PLATFORM,
	aap_2_5: {
		...PLATFORM,
		version: "4.6.3",
		root: "/api/controller/v2/",
		gateway: true,
		hidesVersion: true,
		namesMissing: true,
		jobPages: "/execution/jobs/",
	},
} as const satisfies Record<string, Profile>;

export type ProfileName = keyof typeof PROFILES;
export const PROFILE_NAMES = Object.keys(PROFILES) as readonly ProfileName[];

/** The profile of this name; undefined where there is none. */
export const findProfile = (name: string): ProfileName | undefined => PROFILE_NAMES.find((one) => one === name);
