-- The calculator in what Quarto and Pandoc write: a fence of the class `shardwise` becomes the element, with the answer as a
-- table in it; the table alone where the format is no page. Python's package answers it while the document is made.
--
--   shardwise:
--     site: https://docs.example.org/shardwise/
--     python: python3            -- which has the package; what Quarto runs, where nothing is said
--
-- A question that is refused stops it, with the field and the remedy.

local settings = {}
local loaded = false

local function said(meta, name)
  local own = meta.shardwise
  return type(own) == 'table' and own[name] and pandoc.utils.stringify(own[name]) or nil
end

local function read(meta)
  settings.site = said(meta, 'site') or ''
  settings.lang = meta.lang and pandoc.utils.stringify(meta.lang) or ''
  settings.python = said(meta, 'python') or os.getenv('QUARTO_PYTHON') or 'python3'
end

-- Formats that are pages of a browser. EPUB's are read without scripts.
local function is_page()
  return FORMAT:match('^html') ~= nil or FORMAT == 'revealjs'
end

local function ask(text)
  local words = { '-m', 'shardwise.embed', '--lang', settings.lang, '--site', settings.site }
  if not is_page() then
    words[#words + 1] = '--table'
  elseif not loaded then
    words[#words + 1] = '--script'
    loaded = true
  end
  return pandoc.pipe(settings.python, words, text)
end

local function show(block)
  if not block.classes:includes('shardwise') then return nil end
  local done, html = pcall(ask, block.text)
  -- What Python said stands above: it writes to the terminal itself.
  if not done then error('shardwise: the question of a fence is refused:\n' .. block.text, 0) end
  if is_page() then return pandoc.RawBlock('html', html) end
  return pandoc.read(html, 'html').blocks
end

return { { Meta = read }, { CodeBlock = show } }
