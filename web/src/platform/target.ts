/**
 * The controller that runs go to unless another one is chosen: a default, never a filter. It is
 * stored in the user's preferences: it is the same in every browser, and a new connection does not
 * change it.
 */
import type { ControllerConnection, OwnProfile } from "@weft/contracts";
import { authRoutes, connectionGroupRoutes, connectionRoutes } from "@weft/contracts/browser";
import { callRoute, useAnswer } from "./call.ts";
import { readOpeningPart } from "./opening.ts";
import { useProfile } from "./profile.ts";
import { queries } from "./weft.ts";

const FRESH_MS = 5 * 60_000;

/** Stores the default. It is shown at once; a failure takes it back. */
export async function chooseTarget(id: string): Promise<void> {
	const key = [authRoutes.profile.id];
	const set = (chosen: string | null) =>
		queries.setQueryData<OwnProfile>(key, (profile) =>
			profile === undefined
				? profile
				: { ...profile, preferences: { ...profile.preferences, default_controller_connection_id: chosen } },
		);
	const before = queries.getQueryData<OwnProfile>(key)?.preferences.default_controller_connection_id ?? null;
	if (before === id) return;
	set(id);
	try {
		await callRoute(authRoutes.updatePreferences, { body: { default_controller_connection_id: id } });
	} catch (error) {
		set(before);
		throw error;
	}
}

/** Makes the connection of a first run the default, so that later connections do not replace it. */
export function keepTarget(id: string): void {
	const profile = queries.getQueryData<OwnProfile>([authRoutes.profile.id]);
	// The run itself does not depend on it.
	if (profile?.preferences.default_controller_connection_id === null) void chooseTarget(id).catch(() => {});
}

/** What to do where a run has no connection to go to. */
export const NO_TARGET = "No default fabric. Choose one in the sidebar, or add one under Connections.";

/** Connections for the sidebar, palette and run buttons, with one call. */
export const useConnections = () =>
	useAnswer(
		connectionRoutes.list,
		{ query: { page_size: "200" } },
		{ staleTime: FRESH_MS, through: (call) => readOpeningPart("connections", call) },
	);

/** Groups of connections that the user sees; asked for where they are wanted. */
export const useConnectionGroups = (wanted = true) =>
	useAnswer(connectionGroupRoutes.list, { query: { page_size: "200" } }, { staleTime: FRESH_MS, enabled: wanted });

/** Active connections by name, for a choice. */
export function useTargets(): readonly ControllerConnection[] {
	const { data } = useConnections();
	return data?.results.filter((connection) => connection.is_active) ?? [];
}

/**
 * The default connection. Before one is chosen, the oldest active one that is the user's own or
 * that an administrator shared. Undefined while that is not known, where there is none, and where
 * the chosen one is gone or disabled: another one must be chosen then, not taken by chance.
 */
export function useTarget(): ControllerConnection | undefined {
	const usable = useTargets();
	const preferences = useProfile()?.preferences;
	if (preferences === undefined) return undefined;
	const { default_controller_connection_id: chosen } = preferences;
	if (chosen !== null) return usable.find(({ id }) => id === chosen);
	const candidates = usable.filter((connection) => connection.is_default_candidate);
	return candidates.sort((one, other) => (one.created_at < other.created_at ? -1 : 1))[0];
}
