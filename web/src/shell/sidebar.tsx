/** Navigation, target connection and account. A rail from 768 px, an overlay below. */
import { Link, useNavigate, useRouterState } from "@tanstack/react-router";
import { ChevronsUpDown, Moon, Rows2, Rows3, Server, Sun } from "lucide-react";
import { setTheme, toggleDensity, useAppearance } from "../platform/appearance.ts";
import { formatPerson, formatPlural, getInitials } from "../platform/format.ts";
import { useMay, useProfile } from "../platform/profile.ts";
import { useConnections, useTarget, useTargets } from "../platform/target.ts";
import { IconButton } from "../ui/button.tsx";
import { joinClasses } from "../ui/classes.ts";
import { Menu } from "../ui/menu.tsx";
import { listTargetItems } from "../ui/target-items.ts";
import { Logo } from "./logo.tsx";
import { containsPath, findFirstPlace, SECTIONS } from "./pages.ts";
import { useShell } from "./state.ts";

/** Seen on the rail only when it is open, or from 1,200 px. */
const WIDE = "max-xl:hidden";

export function Sidebar() {
	const open = useShell((shell) => shell.sidebar);
	const may = useMay();
	const known = useProfile() !== undefined;
	const path = useRouterState({ select: ({ location }) => location.pathname });
	// Over the page everything is written out; on the rail only icons are.
	const words = open ? "" : WIDE;
	return (
		<>
			{open && (
				<button
					type="button"
					aria-label="Close the menu"
					className="fixed inset-0 z-30 bg-scrim md:hidden"
					onClick={() => useShell.setState({ sidebar: false })}
				/>
			)}
			<nav
				aria-label="Main"
				className={joinClasses(
					"flex shrink-0 flex-col border-line border-r bg-sunken",
					open
						? "fixed inset-y-0 left-0 z-30 w-52 shadow-overlay md:static md:shadow-none"
						: "w-12 max-md:hidden xl:w-52",
				)}
			>
				<Target words={words} />
				<div className="flex min-h-0 flex-1 flex-col gap-0.5 overflow-y-auto px-2 pb-2">
					{SECTIONS.map(({ label, pages }) => {
						const shown = pages.flatMap((page) => {
							const to = known || page.permission === null ? findFirstPlace(page, may) : undefined;
							return to === undefined ? [] : [{ ...page, to, current: containsPath(page, path) }];
						});
						if (shown.length === 0) return null;
						return (
							<div key={label ?? ""}>
								{label && (
									<h2 className={joinClasses("m-0 px-2 pt-2.5 pb-1 font-normal text-muted text-xs", words)}>{label}</h2>
								)}
								{shown.map(({ to, label: name, icon: Icon, current }) => (
									<Link
										key={name}
										to={to}
										title={name}
										aria-current={current ? "page" : undefined}
										className={joinClasses(
											"flex h-7 items-center gap-2 rounded-control px-2",
											current ? "bg-accent-soft font-medium text-accent-text" : "text-fg hover:bg-line",
										)}
									>
										<Icon size={15} className="shrink-0" aria-hidden="true" />
										<span className={joinClasses("truncate", words === "" ? "" : "max-xl:sr-only")}>{name}</span>
									</Link>
								))}
							</div>
						);
					})}
				</div>
				<Me words={words} />
			</nav>
		</>
	);
}

/** The default controller, with the others behind it. */
function Target({ words }: { words: string }) {
	const { data } = useConnections();
	const target = useTarget();
	const navigate = useNavigate();
	const active = useTargets();
	const manage = {
		label: "Manage connections",
		icon: Server,
		run: () => void navigate({ to: "/settings/connections" }),
	};
	return (
		<div className="px-2 py-2">
			<Menu
				align="start"
				trigger={
					<button
						type="button"
						title={target ? `Default fabric: ${target.name}` : "Choose a fabric"}
						className="flex w-full items-center gap-2 rounded-control px-1 py-1 text-left hover:bg-line"
					>
						<Logo size={24} />
						<span className={joinClasses("min-w-0 flex-1", words)}>
							<span className="block truncate font-semibold">
								{target?.name ?? (active.length === 0 ? "Weft" : "Choose a fabric")}
							</span>
							<span className="block truncate text-2xs text-muted">
								{data === undefined
									? " "
									: active.length === 0
										? "no fabric yet"
										: formatPlural(active.length, "fabric")}
							</span>
						</span>
						<ChevronsUpDown size={14} className={joinClasses("shrink-0 text-muted", words)} aria-hidden="true" />
						<span className="sr-only">Choose the default fabric</span>
					</button>
				}
				groups={[listTargetItems(active, target), [manage]]}
			/>
		</div>
	);
}

function Me({ words }: { words: string }) {
	const profile = useProfile();
	const { density } = useAppearance();
	const navigate = useNavigate();
	const name = profile ? formatPerson(profile) : "";
	return (
		<div className="flex items-center gap-1 border-line border-t p-2 max-xl:flex-col">
			<Menu
				align="start"
				trigger={
					<button
						type="button"
						className="flex min-w-0 flex-1 items-center gap-2 rounded-control p-1 text-left hover:bg-line"
					>
						<span className="grid size-6 shrink-0 place-items-center rounded-full bg-violet-soft font-medium text-2xs text-violet">
							{getInitials(name)}
						</span>
						<span className={joinClasses("truncate", words)}>{profile?.username}</span>
						<span className="sr-only">Your account</span>
					</button>
				}
				groups={async () => (await import("./overlay-parts.ts")).buildAccountMenu((to) => void navigate({ to }))}
			/>
			<IconButton
				variant="ghost"
				label={density === "compact" ? "Comfortable rows" : "Compact rows"}
				icon={density === "compact" ? Rows3 : Rows2}
				keys="shift+d"
				onClick={toggleDensity}
			/>
			<ThemeButton />
		</div>
	);
}

function ThemeButton() {
	const { theme } = useAppearance();
	const dark = theme === "dark" || (theme === "system" && matchMedia("(prefers-color-scheme: dark)").matches);
	return (
		<IconButton
			variant="ghost"
			label={dark ? "Light theme" : "Dark theme"}
			icon={dark ? Sun : Moon}
			onClick={() => setTheme(dark ? "light" : "dark")}
		/>
	);
}
