//! Words of what stands around every page.

words! {
    /// Words of what stands around every page.
    Site;
    site: "Site", "站点";
    calculator: "Calculator", "计算器";
    accuracy: "Accuracy", "准确度";
    methods: "Methods", "方法";
    command_line: "Command line", "命令行";
    python: "Python", "Python";
    embed: "Embed", "嵌入网页";
    api: "API", "接口";
    elsewhere: "Where you work", "在别处使用";
    how_accurate: "How accurate is it?", "准确度如何？";
    language: "English", "中文";
    copy_link: "Copy link", "复制链接";
    link_copied: "Link copied", "已复制链接";
    theme: "Theme", "主题";
    theme_auto: "System", "跟随系统";
    theme_light: "Light", "浅色";
    theme_dark: "Dark", "深色";
    about: "runs in this page. Nothing you type leaves it. It works offline.",
        "完全在本页面内运行，输入的内容不会离开浏览器，可离线使用。";
    data: "Data", "数据";
    prices: "Prices", "价格";
    build: "Build", "构建";
    licence: "Licence", "许可证";
}
