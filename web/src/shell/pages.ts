/** The places of the UI: what the sidebar, the palette and the keys lead to. */
import {
	Activity,
	BellRing,
	Boxes,
	CalendarClock,
	CalendarOff,
	ClipboardList,
	FileStack,
	History,
	KeyRound,
	LayoutDashboard,
	Library,
	ListChecks,
	type LucideIcon,
	MessageCircleQuestion,
	Network,
	Server,
	ServerCog,
	ShieldCheck,
	SlidersHorizontal,
	Table2,
	User,
	Waypoints,
	Workflow,
} from "lucide-react";

interface Place {
	readonly to:
		| "/"
		| "/builder"
		| "/library"
		| "/gallery"
		| "/runs"
		| "/checks"
		| "/changes"
		| "/pictures"
		| "/time-machine"
		| "/model"
		| "/schedules"
		| "/calendar"
		| "/change-windows"
		| "/change-plans"
		| "/automation/requests"
		| "/automation/templates"
		| "/settings/automation"
		| "/settings/connections"
		| "/settings/connection-groups"
		| "/settings/model"
		| "/settings/retention"
		| "/settings/tasks"
		| "/settings/categories/queries"
		| "/settings/categories/templates"
		| "/settings/reference/lists"
		| "/settings/reference/patterns"
		| "/settings/reference/columns"
		| "/settings/table-templates"
		| "/settings/notifications"
		| "/users"
		| "/groups"
		| "/permissions"
		| "/tokens"
		| "/audit"
		| "/service"
		| "/setup";
	/** Without it the page is not there for a person; `admin` is for administrators. */
	readonly permission: string | null;
}

interface Page extends Place {
	readonly label: string;
	readonly icon: LucideIcon;
	readonly keys: string;
	/** Further addresses under the same entry. */
	readonly also?: readonly Place[];
}

export const SECTIONS: readonly { readonly label: string | null; readonly pages: readonly Page[] }[] = [
	{ label: null, pages: [{ to: "/", label: "Overview", icon: LayoutDashboard, keys: "g o", permission: null }] },
	{
		label: "Query",
		pages: [
			{ to: "/builder", label: "Builder", icon: Workflow, keys: "g b", permission: "view_savedquery" },
			{ to: "/library", label: "Library", icon: Library, keys: "g l", permission: "view_savedquery" },
			{ to: "/gallery", label: "Gallery", icon: MessageCircleQuestion, keys: "g q", permission: "view_savedquery" },
			{ to: "/runs", label: "Runs", icon: Table2, keys: "g r", permission: "view_pipelineexecution" },
		],
	},
	{
		label: "Observe",
		pages: [
			{ to: "/checks", label: "Checks", icon: ListChecks, keys: "g k", permission: "view_check" },
			{ to: "/changes", label: "Changes", icon: FileStack, keys: "g h", permission: "view_snapshot" },
			{ to: "/pictures", label: "Pictures", icon: Waypoints, keys: "g y", permission: "view_snapshot" },
			{ to: "/time-machine", label: "Snapshots", icon: History, keys: "g t", permission: "view_snapshot" },
			{ to: "/model", label: "Class model", icon: Network, keys: "g m", permission: "view_modelclass" },
		],
	},
	{
		label: "Change",
		pages: [
			{
				to: "/automation/requests",
				label: "Requests",
				icon: ClipboardList,
				keys: "g a",
				permission: "view_automationrequest",
			},
			{
				to: "/automation/templates",
				label: "Templates",
				icon: FileStack,
				keys: "g p",
				permission: "view_automationtemplate",
			},
			{
				to: "/change-windows",
				label: "Change windows",
				icon: ShieldCheck,
				keys: "g w",
				permission: "view_changewindow",
				also: [{ to: "/change-plans", permission: "view_changeplan" }],
			},
			{ to: "/schedules", label: "Schedules", icon: CalendarClock, keys: "g s", permission: "view_scheduledtask" },
			{ to: "/calendar", label: "Calendar", icon: CalendarOff, keys: "g f", permission: "view_calendarentry" },
		],
	},
	{
		label: "Settings",
		pages: [
			{
				to: "/settings/connections",
				label: "Connections",
				icon: Server,
				keys: "g c",
				permission: "view_controllerconnection",
				also: [{ to: "/settings/connection-groups", permission: "view_controllerconnection" }],
			},
			{
				to: "/settings/automation",
				label: "Automation",
				icon: ServerCog,
				keys: "g e",
				permission: "view_automationconnection",
				also: [{ to: "/settings/categories/templates", permission: "view_automationcategory" }],
			},
			{
				to: "/settings/model",
				label: "Model versions",
				icon: Boxes,
				keys: "g v",
				permission: "view_modelversion",
			},
			{
				to: "/settings/notifications",
				label: "Notifications",
				icon: BellRing,
				keys: "g n",
				permission: "view_notificationpreference",
			},
			{
				to: "/settings/retention",
				label: "Data",
				icon: SlidersHorizontal,
				keys: "g d",
				permission: "view_snapshotsettings",
				also: [
					{ to: "/settings/tasks", permission: null },
					{ to: "/settings/categories/queries", permission: "view_querycategory" },
					{ to: "/settings/reference/lists", permission: "view_validationlist" },
					{ to: "/settings/reference/patterns", permission: "view_regexpattern" },
					{ to: "/settings/reference/columns", permission: "view_columntemplate" },
					{ to: "/settings/table-templates", permission: "view_tabletemplate" },
				],
			},
		],
	},
	{
		label: "Administration",
		pages: [
			{
				to: "/users",
				label: "People",
				icon: User,
				keys: "g u",
				permission: "admin",
				also: [
					{ to: "/groups", permission: "admin" },
					{ to: "/permissions", permission: "admin" },
					{ to: "/tokens", permission: "admin" },
				],
			},
			{ to: "/audit", label: "Audit", icon: KeyRound, keys: "g i", permission: "admin" },
			{
				to: "/service",
				label: "Service status",
				icon: Activity,
				keys: "g x",
				permission: "admin",
				also: [{ to: "/setup", permission: "admin" }],
			},
		],
	},
];

const listPlaces = (page: Page): Place[] => [page, ...(page.also ?? [])];

const isWithin = (path: string, { to }: Place): boolean => path === to || path.startsWith(`${to}/`);

/** Whether the page at a path belongs to an entry. */
export const containsPath = (page: Page, path: string): boolean =>
	listPlaces(page).some((place) => isWithin(path, place));

/** The first address of an entry that a person may see; undefined: none. */
export const findFirstPlace = (page: Page, may: (permission: string) => boolean): Place["to"] | undefined =>
	listPlaces(page).find(({ permission }) => permission === null || may(permission))?.to;

/** Finds the label of the entry of the page at a path. Returns undefined for no entry. */
export const findLabelFor = (path: string): string | undefined =>
	SECTIONS.flatMap(({ pages }) => pages).find((page) => containsPath(page, path))?.label;

/** The permission that the page at a path needs; null where it needs none. */
export const findPermissionFor = (path: string): string | null =>
	SECTIONS.flatMap(({ pages }) => pages.flatMap(listPlaces)).find((place) => isWithin(path, place))?.permission ?? null;
