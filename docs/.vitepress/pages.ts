/** The pages of the help site by what a reader needs. A document that is missing here fails a test. */
export const PAGES: readonly { readonly text: string; readonly items: readonly { text: string; link: string }[] }[] = [
	{
		text: "Learn",
		items: [{ text: "A tour with the demo", link: "/tour" }],
	},
	{
		text: "Do",
		items: [
			{ text: "Find out what changed", link: "/find-changes" },
			{ text: "Watch something", link: "/watch" },
			{ text: "Compare two fabrics", link: "/compare-fabrics" },
			{ text: "Before and after a change", link: "/change-windows" },
			{ text: "Install on Debian", link: "/install-debian" },
			{ text: "Operate", link: "/operations" },
			{ text: "Upgrade and uninstall", link: "/upgrade" },
			{ text: "Connect controllers", link: "/controllers" },
			{ text: "Ask a ready question", link: "/gallery" },
			{ text: "See the network as a picture", link: "/pictures" },
			{ text: "Draw a query", link: "/draw-a-query" },
			{ text: "Read a result", link: "/results" },
			{ text: "Run on many fabrics", link: "/fabrics" },
			{ text: "Check that something holds", link: "/checks" },
			{ text: "Change the network", link: "/automation" },
			{ text: "Freeze changes, hold alerts", link: "/calendar" },
			{ text: "Be notified", link: "/notifications" },
			{ text: "Work from a shell", link: "/cli" },
			{ text: "Keep queries in Git", link: "/queries-as-code" },
			{ text: "Make API tokens", link: "/api-tokens" },
			{ text: "Sign in with OpenID Connect", link: "/single-sign-on" },
		],
	},
	{
		text: "Look up",
		items: [
			{ text: "Settings", link: "/settings" },
			{ text: "Snapshots", link: "/time-machine" },
			{ text: "Post-processors", link: "/post-processors" },
			{ text: "Permissions", link: "/permissions" },
			{ text: "Performance", link: "/performance" },
			{ text: "Scaling", link: "/scaling" },
			{ text: "Dependencies", link: "/dependencies" },
		],
	},
	{
		text: "Understand",
		items: [
			{ text: "Architecture", link: "/architecture" },
			{ text: "Security", link: "/security" },
		],
	},
];
