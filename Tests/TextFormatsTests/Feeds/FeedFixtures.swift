/// Realistic feeds, made up for the tests of feeds.
enum FeedFixtures {
    static let rss = """

        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE rss PUBLIC "-//Netscape Communications//DTD RSS 0.91//EN" "http://localhost:1/rss-0.91.dtd">
        <rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:content="http://purl.org/rss/1.0/modules/content/"
             xmlns:atom="http://www.w3.org/2005/Atom">
          <channel>
            <title>Slow &amp;amp; steady</title>
            <link>https://example.org/slow</link>
            <atom:link href="https://example.org/slow.xml" rel="self" type="application/rss+xml"/>
            <description>&lt;p&gt;Practice.&lt;/p&gt;&lt;p&gt;Every day.&lt;/p&gt;</description>
            <image><title>A picture</title><url>https://example.org/x.png</url><link>https://example.org/picture</link></image>
            <itunes:owner><itunes:name>Nobody</itunes:name></itunes:owner>
            <item>
              <title>First: 3 &lt; 4</title>
              <guid isPermaLink="false">ep-1</guid>
              <link>/slow/1</link>
              <pubDate>Mon, 25 Nov 2024 10:00:00 +0100</pubDate>
              <itunes:title>Not this one</itunes:title>
              <itunes:author>Ann &amp; Bob</itunes:author>
              <itunes:duration>1:02:03</itunes:duration>
              <enclosure url="audio/1.mp3?a=1&amp;b=2" length="12345678" type="audio/mpeg"/>
              <description><![CDATA[<h1>One</h1>Text&nbsp;with <b>tags</b>, &eacute; &#8212; and<br/>lines <script>no()</script><!-- no -->]]></description>
              <content:encoded><![CDATA[<p>Not this</p>]]></content:encoded>
            </item>
            <item>
              <title>Third</title>
              <guid>https://example.org/slow/3</guid>
              <pubDate>Wed, 27 Nov 24 10:00 GMT</pubDate>
              <itunes:duration>0</itunes:duration>
              <enclosure url="https://example.org/3.jpg" length="1" type="image/jpeg"/>
              <enclosure url="https://example.org/3.mp4" length="-1" type="video/mp4"/>
              <enclosure url="https://example.org/3.ogg" length="x" type="audio/ogg"/>
            </item>
            <item><title>A post</title><link>https://example.org/post</link></item>
            <item>
              <title>Second</title><pubDate>2024-11-26</pubDate><guid/>
              <enclosure url="https://example.org/2.mp3"/>
            </item>
            <item>
              <title>Third again</title><guid>https://example.org/slow/3</guid><pubDate>Thu, 28 Nov 2024 10:00:00 GMT</pubDate>
              <enclosure url="https://example.org/3b.mp3" type="audio/mpeg"/>
            </item>
            <item><title>Undated</title><enclosure url="https://example.org/0.mp3" type=""/></item>
            <item><title>Nowhere</title><enclosure url="javascript:alert(1)" type="audio/mpeg"/></item>
            <item><title>File</title><enclosure url="file:///etc/passwd" type="audio/mpeg"/></item>
          </channel>
        </rss>
        """

    static let atom = """
        <?xml version="1.0"?>
        <a:feed xmlns:a="http://www.w3.org/2005/Atom" xmlns="http://www.w3.org/1999/xhtml">
          <a:title type="html">Notes &amp;amp; &lt;em&gt;tones&lt;/em&gt;</a:title>
          <a:link href="./"/><a:link rel="self" href="atom.xml"/>
          <a:subtitle>About tones</a:subtitle>
          <a:entry>
            <a:id>urn:uuid:1</a:id><a:title>One</a:title><a:updated>2024-01-02T03:04:05Z</a:updated>
            <a:published>2024-01-01T00:00:00-05:00</a:published>
            <a:author><a:name>Cleo</a:name><a:uri>https://example.org/cleo</a:uri></a:author>
            <a:source><a:id>urn:other</a:id><a:title>Other</a:title></a:source>
            <a:link href="one.html"/><a:link rel="enclosure" type="audio/ogg" length="10" href="one.ogg"/>
            <a:content type="xhtml"><div><p>Para <i>gra</i>ph</p><p>Next &lt;p&gt;</p></div></a:content>
          </a:entry>
          <a:entry>
            <a:id>urn:uuid:2</a:id><a:title>Two</a:title><a:updated>2024-01-02T03:04:05.75Z</a:updated>
            <a:link rel="enclosure" href="//cdn.example.org/two.mp3"/><a:summary>Sum</a:summary><a:content>Long</a:content>
          </a:entry>
        </a:feed>
        """

    static let rdf = """
        <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
            xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:m="http://search.yahoo.com/mrss/">
          <channel rdf:about="https://example.org/"><title>Old</title><link>https://example.org/</link></channel>
          <item rdf:about="https://example.org/1"><title>One</title><dc:date>2003-12-13T18:30:02+00:00</dc:date><dc:creator>D</dc:creator>
            <m:group><m:content url="https://example.org/1.jpg" type="image/jpeg"/>
            <m:content url="https://example.org/1.mp3" type="audio/mpeg" fileSize="77"/></m:group>
          </item>
        </rdf:RDF>
        """

    static let json = """
        {"version": "https://jsonfeed.org/version/1.1", "title": "J & <b>", "home_page_url": "https://example.org/", "items": [
          {"id": "1", "title": "A &amp; B", "content_text": "x < y", "date_published": "2024-11-25T10:00:00+01:00",
           "authors": [{"name": "Eve"}], "url": "https://example.org/1",
           "attachments": [{"url": "1.m4a", "mime_type": "audio/x-m4a", "size_in_bytes": 89970236, "duration_in_seconds": 6629.5}]},
          {"id": 2, "attachments": [{"url": "https://example.org/2.mp3", "mime_type": "audio/mpeg"}]},
          {"id": "3", "content_html": "<p>No sound</p>"}]}
        """

    static let page = """
        <!-- a page --><!doctype html>
        <HTML><head><link rel="stylesheet" href="x.css"><LINK type='application/rss+xml' title=x
          rel="home Alternate" href="/feed.xml?a=1&amp;b=2"><link rel=alternate type=application/atom+xml href=second.xml>
        </head><body><p>Text & more<br></body></html>
        """
}
