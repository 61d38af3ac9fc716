/** The menu of the signed-in person's account. */
import { Bell, KeyRound, KeySquare, LogOut, Palette, User } from "lucide-react";
import { session } from "../platform/weft.ts";
import type { MenuItem } from "../ui/menu-items.tsx";

export const buildAccountMenu = (open: (path: string) => void): readonly (readonly MenuItem[])[] => [
	[
		{ label: "Profile", icon: User, run: () => open("/me/profile") },
		{ label: "Security", icon: KeyRound, run: () => open("/me/security") },
		{ label: "API tokens", icon: KeySquare, run: () => open("/me/tokens") },
		{ label: "Notifications", icon: Bell, run: () => open("/settings/notifications") },
		{ label: "Appearance and keys", icon: Palette, run: () => open("/me/appearance") },
	],
	[{ label: "Sign out", icon: LogOut, run: () => void session.end("left") }],
];
