/** Who is signed in, as every page needs it: name, rights, zone. */

import type { OwnProfile } from "@weft/contracts";
import { authRoutes } from "@weft/contracts/browser";
import { useMemo } from "react";
import { useAnswer } from "./call.ts";
import { readOpeningPart } from "./opening.ts";
import { createTimes, type Times } from "./time.ts";

const LONG_MS = 5 * 60_000;

export function useProfile(): OwnProfile | undefined {
	return useAnswer(authRoutes.profile, undefined, {
		staleTime: LONG_MS,
		through: (call) => readOpeningPart("profile", call),
	}).data;
}

const browser = Intl.DateTimeFormat().resolvedOptions().timeZone;
const FALLBACK = { timezone: browser || "UTC", date_format: "YYYY-MM-DD", time_format: "24h" } as const;

export function useTimes(): Times {
	const settings = useProfile()?.preferences;
	const { timezone, date_format, time_format } = settings ?? FALLBACK;
	return useMemo(() => createTimes({ timezone, date_format, time_format }), [timezone, date_format, time_format]);
}

/** Whether the caller may do it; false while that is not known. */
export function useMay(): (permission: string) => boolean {
	const profile = useProfile();
	return useMemo(() => {
		const held = new Set(profile?.permissions);
		return (permission) => profile !== undefined && (profile.is_admin || held.has(permission));
	}, [profile]);
}
